/* What the machine offers: compared with what the system says by other means. */
#include "support/support.h"

#include <sys/stat.h>
#include <unistd.h>

#include "core/group_limit.h"
#include "core/machine.h"

static void test_the_machine_is_described(void **state)
{
    (void)state;
    jsni_machine machine;
    jsni_machine_probe(&machine);
    assert_true(machine.cores >= 1);
    assert_true(machine.cores <= (size_t)sysconf(_SC_NPROCESSORS_CONF));
    assert_true(machine.cpu[0] != '\0');
    assert_true(machine.memory > (uint64_t)64 << 20);
    assert_true(machine.memory_limit <= machine.memory && machine.memory_limit > 0);
    assert_true(machine.memory_available <= machine.memory);
}

static void put(const char *name, const char *text)
{
    char path[400];
    (void)snprintf(path, sizeof path, "%s/%s", support_folder, name);
    for (char *at = path + strlen(support_folder) + 1; *at != '\0'; at++)
        if (*at == '/') {
            *at = '\0';
            (void)mkdir(path, 0700);
            *at = '/';
        }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static jsni_group_limit limits(const char *self)
{
    char root[300], path[300];
    jsni_group_limit out;
    put("self", self);
    (void)snprintf(root, sizeof root, "%s/cgroup", support_folder);
    (void)snprintf(path, sizeof path, "%s/self", support_folder);
    jsni_group_limit_read(&out, root, path);
    return out;
}

/* Control groups as files in a folder of the test: the tightest group counts, whether it
 * is the process's own or one around it. */
static void test_limits_of_control_groups(void **state)
{
    (void)state;
    jsni_group_limit got = limits("");
    assert_true(got.memory == UINT64_MAX && got.memory_left == UINT64_MAX);
    assert_true(got.cores == SIZE_MAX);

    put("cgroup/memory.max", "max\n");
    put("cgroup/cpu.max", "max 100000\n");
    put("cgroup/job/memory.max", "5000\n");
    put("cgroup/job/memory.current", "1000\n");
    put("cgroup/job/step/memory.max", "8000\n");
    put("cgroup/job/step/memory.current", "7000\n");
    put("cgroup/job/step/cpu.max", "250000 100000\n");
    got = limits("0::/\n");
    assert_true(got.memory == UINT64_MAX && got.cores == SIZE_MAX);
    got = limits("0::/job\n");
    assert_true(got.memory == 5000 && got.memory_left == 4000 && got.cores == SIZE_MAX);
    got = limits("0::/job/step\n");
    assert_true(got.memory == 5000 && got.memory_left == 1000 && got.cores == 3);

    put("cgroup/memory/slurm/memory.limit_in_bytes", "3000\n");
    put("cgroup/memory/slurm/memory.usage_in_bytes", "3500\n");
    put("cgroup/cpu/slurm/cpu.cfs_quota_us", "-1\n");
    put("cgroup/cpu/slurm/cpu.cfs_period_us", "100000\n");
    got = limits("5:cpuset:/\n4:cpu,cpuacct:/slurm\n3:memory:/slurm/uid_0\n");
    assert_true(got.memory == 3000 && got.memory_left == 0 && got.cores == SIZE_MAX);
    put("cgroup/cpu/slurm/cpu.cfs_quota_us", "400000\n");
    got = limits("4:cpu,cpuacct:/slurm\n3:memory:/\n");
    assert_true(got.memory == UINT64_MAX && got.cores == 4);
}

/* /proc/cpuinfo lists the same flags under the kernel's names. */
static int kernel_lists(const char *flag)
{
    static char line[8192];
    int found = 0;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "flags", 5) == 0)
            for (char *word = strtok(line, " \t\n:"); word != NULL;
                 word = strtok(NULL, " \t\n:"))
                found = found || strcmp(word, flag) == 0;
    if (file != NULL)
        (void)fclose(file);
    return found;
}

static void test_instruction_sets_agree_with_the_kernel(void **state)
{
    (void)state;
    assert_true(jsni_instruction_set_count() >= 4);
    assert_null(jsni_instruction_set_at(jsni_instruction_set_count()).name);
    for (size_t i = 0; i < jsni_instruction_set_count(); i++) {
        const jsni_instruction_set set = jsni_instruction_set_at(i);
        if (strcmp(set.name, "AVX2") == 0)
            assert_int_equal(set.present, kernel_lists("avx2"));
        if (strcmp(set.name, "FMA") == 0)
            assert_int_equal(set.present, kernel_lists("fma"));
        if (strcmp(set.name, "AVX-512") == 0)
            assert_int_equal(set.present,
                             kernel_lists("avx512f") && kernel_lists("avx512bw") &&
                                 kernel_lists("avx512dq") && kernel_lists("avx512vl"));
    }
    assert_false(kernel_lists("no-such-flag"));
}

static void test_a_machine_without_gpu_says_why(void **state)
{
    (void)state;
    jsni_gpu_driver driver;
    jsni_gpu_probe(&driver);
    assert_int_equal(driver.gpus == 0, driver.text[0] != '\0');
    assert_true(driver.gpus == 0 || driver.loadable);
    for (size_t i = 0; i < driver.gpus; i++)
        assert_true(driver.gpu[i].name[0] != '\0' && driver.gpu[i].memory > 0);
}

static void test_disk_space_is_that_of_an_existing_folder(void **state)
{
    (void)state;
    assert_true(jsni_disk_free("/") > 0);
    assert_true(jsni_disk_free("/no/such/folder") == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_machine_is_described),
        cmocka_unit_test(test_limits_of_control_groups),
        cmocka_unit_test(test_instruction_sets_agree_with_the_kernel),
        cmocka_unit_test(test_a_machine_without_gpu_says_why),
        cmocka_unit_test(test_disk_space_is_that_of_an_existing_folder),
    };
    return cmocka_run_group_tests(tests, support_folder_begin, support_folder_end);
}
