/* report/table_list.h - the formats of tables. To add one, write report/table_<id>.c,
 * which defines jsni_table_format_<id>, and add its row here. */
#ifndef JSNI_REPORT_TABLE_LIST_H
#define JSNI_REPORT_TABLE_LIST_H

#define JSNI_TABLE_LIST(X) X(markdown) X(csv) X(latex) X(html) X(json)

#endif /* JSNI_REPORT_TABLE_LIST_H */
