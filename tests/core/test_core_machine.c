/* What the machine offers: compared with what the system says by other means. */
#include "support/support.h"

#include <unistd.h>

#include "jensen/machine.h"

static void test_the_machine_is_described(void **state)
{
    (void)state;
    jsn_machine machine;
    jsn_machine_probe(&machine);
    assert_true(machine.cores >= 1);
    assert_true(machine.cores <= (size_t)sysconf(_SC_NPROCESSORS_CONF));
    assert_true(machine.cpu[0] != '\0');
    assert_true(machine.memory > (uint64_t)64 << 20);
    assert_true(machine.memory_limit <= machine.memory && machine.memory_limit > 0);
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
    assert_true(jsn_instruction_set_count() >= 4);
    assert_null(jsn_instruction_set_at(jsn_instruction_set_count()).name);
    for (size_t i = 0; i < jsn_instruction_set_count(); i++) {
        const jsn_instruction_set set = jsn_instruction_set_at(i);
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
    jsn_gpu_driver driver;
    jsn_gpu_probe(&driver);
    assert_int_equal(driver.gpus == 0, driver.text[0] != '\0');
    assert_true(driver.gpus == 0 || driver.loadable);
    for (size_t i = 0; i < driver.gpus; i++)
        assert_true(driver.gpu[i].name[0] != '\0' && driver.gpu[i].memory > 0);
}

static void test_disk_space_is_that_of_an_existing_folder(void **state)
{
    (void)state;
    assert_true(jsn_disk_free("/") > 0);
    assert_true(jsn_disk_free("/no/such/folder") == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_machine_is_described),
        cmocka_unit_test(test_instruction_sets_agree_with_the_kernel),
        cmocka_unit_test(test_a_machine_without_gpu_says_why),
        cmocka_unit_test(test_disk_space_is_that_of_an_existing_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
