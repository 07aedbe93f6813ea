/* cli/command_sweep_slurm.c - a Slurm array script whose tasks work a study off. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_study.h"

typedef struct slurm_values {
    char *store, *partition, *time, *memory, *runs;
    int64_t tasks, cores, gpus;
} slurm_values;

static const jsn_option_info options[] = {
    CLI_STORE_ROW(slurm_values, "where the study is"),
    {"tasks", 'n', JSN_OPTION_INT, "4", 1, 10000, NULL, "N", "workers",
     offsetof(slurm_values, tasks)},
    {"cores", 0, JSN_OPTION_INT, "4", 1, 1024, NULL, "N", "cores of a worker",
     offsetof(slurm_values, cores)},
    {"gpus", 0, JSN_OPTION_INT, "0", 0, 64, NULL, "N", "GPUs of a worker",
     offsetof(slurm_values, gpus)},
    {"time", 0, JSN_OPTION_TEXT, "04:00:00", 0, 0, NULL, "H:M:S",
     "time limit of a task; a worker that reaches it is requeued and goes on",
     offsetof(slurm_values, time)},
    {"memory", 0, JSN_OPTION_TEXT, "8G", 0, 0, NULL, "SIZE", "memory of a worker",
     offsetof(slurm_values, memory)},
    {"partition", 0, JSN_OPTION_TEXT, NULL, 0, 0, NULL, "NAME", "Slurm partition",
     offsetof(slurm_values, partition)},
    {"runs", 0, JSN_OPTION_TEXT, "runs", 0, 0, NULL, "FOLDER",
     "run folders, on a file system that all nodes share",
     offsetof(slurm_values, runs)},
};

/* Without its password the URL is one that libpq completes from ~/.pgpass. */
static void drop_secrets(char *url)
{
    char *secret = strstr(url, ":***");
    if (secret != NULL)
        memmove(secret, secret + 4, strlen(secret + 4) + 1);
    while ((secret = strstr(url, "password=***")) != NULL) {
        const char *rest = secret + strlen("password=***");
        while (secret > url && secret[-1] != '?' && secret[-1] != '&')
            secret--; /* "sslpassword" */
        if (*rest == '&')
            rest++;
        else if (secret > url)
            secret--; /* the last one: its '?' or '&' goes as well */
        memmove(secret, rest, strlen(rest) + 1);
    }
}

/* Refuses what would not stay one word of a line "#SBATCH --time=...". */
static jsn_status check_word(const char *option, const char *text)
{
    for (const char *c = text; text != NULL && *c != '\0'; c++)
        if ((unsigned char)*c <= ' ' || *c == 127 ||
            strchr("'\"`\\$;#&|<>", *c) != NULL)
            return cli_usage("--%s: spaces, quotes, control characters and $ ; # & | < "
                             "> \\ cannot be in it",
                             option);
    return JSN_OK;
}

/* Tasks start where sbatch was called, perhaps on machines without the file. */
static void warn_relative(const char *url)
{
    const char *path = strncmp(url, "sqlite:///", 10) == 0 ? url + 10 : url;
    if (strstr(path, "://") != NULL || path[0] == '/')
        return;
    char text[600];
    (void)snprintf(text, sizeof text,
                   "the store %.400s is relative to the folder that sbatch is called "
                   "in; give an absolute path, or a server",
                   url);
    const jsn_logger *logger = cli_logger();
    logger->message(logger->user, JSN_LOG_WARNING, text);
}

static jsn_status run(void *values, const jsn_texts *args)
{
    const slurm_values *v = values;
    jsn_sweep *sweep = NULL;
    if (args->count > 1)
        return cli_usage("one study at a time, '%s' is too many", args->items[1]);
    jsn_status status = check_word("partition", v->partition);
    if (status == JSN_OK)
        status = check_word("time", v->time);
    if (status == JSN_OK)
        status = check_word("memory", v->memory);
    if (status == JSN_OK)
        status = jsn_sweep_open_to_read(&sweep, cli_store_url(v->store),
                                        args->count == 1 ? args->items[0] : NULL);
    if (status != JSN_OK)
        return status;
    warn_relative(cli_store_url(v->store));
    const char *shown = jsn_sweep_about(sweep).store;
    cli_print("#!/bin/bash\n#SBATCH --job-name=jensen\n#SBATCH --array=1-%lld\n"
              "#SBATCH --cpus-per-task=%lld\n#SBATCH --mem=%s\n#SBATCH --time=%s\n"
              "#SBATCH --requeue\n#SBATCH --open-mode=append\n"
              "#SBATCH --signal=B:TERM@120\n#SBATCH --output=slurm-%%A-%%a.log\n",
              (long long)v->tasks, (long long)v->cores, v->memory, v->time);
    if (v->gpus > 0)
        cli_print("#SBATCH --gpus-per-task=%lld\n", (long long)v->gpus);
    if (v->partition != NULL)
        cli_print("#SBATCH --partition=%s\n", v->partition);
    cli_print("\n# A worker that is told to stop checkpoints, gives its trial back "
              "and exits with 75;\n# the task is then put into the queue again.\n");
    if (strstr(shown, "***") != NULL)
        cli_print("# The store wants a password: set PGPASSWORD, or put it into "
                  "~/.pgpass.\n");
    cli_print("export JENSEN_STORE=");
    char url[1024];
    (void)snprintf(url, sizeof url, "%s", shown);
    drop_secrets(url);
    cli_put_word(stdout, url);
    cli_print("\ntrap 'kill -TERM \"$worker\"' TERM INT\n"
              "jensen sweep worker ");
    cli_put_word(stdout, jsn_sweep_about(sweep).name);
    cli_print(" --threads %lld --runs ", (long long)v->cores);
    cli_put_word(stdout, v->runs);
    cli_print("%s --wait &\nworker=$!\n"
              "wait \"$worker\"\ncode=$?\n"
              "while kill -0 \"$worker\" 2>/dev/null; do wait \"$worker\"; code=$?; "
              "done\n"
              "[ \"$code\" -eq 75 ] && "
              "exec scontrol requeue \"${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}\""
              "\nexit \"$code\"\n",
              v->gpus > 0 ? " --device cuda" : "");
    jsn_sweep_close(sweep);
    return JSN_OK;
}

const cli_command cli_command_sweep_slurm = {
    .name = "sweep slurm",
    .summary = "a Slurm array script whose tasks do the runs of a study",
    .usage = "[STUDY] [--tasks N] [--cores N] [--gpus N] [--time H:M:S]",
    .details = "Prints the script. The study must be in a store that all nodes reach:\n"
               "PostgreSQL, not a SQLite file on NFS.\n\n"
               "  jensen sweep slurm first --tasks 8 >first.sbatch\n"
               "  sbatch first.sbatch",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(slurm_values),
    .run = run,
};
