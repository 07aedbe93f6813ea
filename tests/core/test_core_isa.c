/* Levels of instruction sets: what this machine reports of itself is what code is chosen
 * by, and a wider level implies the narrower one. */
#include "support/support.h"

#include "core/isa.h"
#include "core/machine.h"

static bool present(const char *name)
{
    for (size_t i = 0; i < jsni_instruction_set_count(); i++)
        if (strcmp(jsni_instruction_set_at(i).name, name) == 0)
            return jsni_instruction_set_at(i).present;
    fail_msg("no instruction set %s", name);
    return false;
}

static void test_levels_are_what_the_machine_reports(void **state)
{
    (void)state;
    assert_true(jsni_isa_usable(JSNI_ISA_PLAIN));
    assert_int_equal(jsni_isa_usable(JSNI_ISA_AVX2), present("AVX2") && present("FMA"));
    assert_int_equal(jsni_isa_usable(JSNI_ISA_AVX512),
                     present("AVX-512") && present("AVX2") && present("FMA"));
    if (jsni_isa_usable(JSNI_ISA_AVX512))
        assert_true(jsni_isa_usable(JSNI_ISA_AVX2));
    assert_false(jsni_isa_usable((jsni_isa)99));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels_are_what_the_machine_reports)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
