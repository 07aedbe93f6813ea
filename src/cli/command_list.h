/* cli/command_list.h - the commands, in the order of `jensen --help`. To add one, write
 * cli/command_<id>.c, which defines cli_command_<id>, and add its row here. */
#ifndef JENSEN_CLI_COMMAND_LIST_H
#define JENSEN_CLI_COMMAND_LIST_H

#define CLI_COMMAND_LIST(X) X(doctor)

#endif /* JENSEN_CLI_COMMAND_LIST_H */
