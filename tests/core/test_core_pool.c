/* The thread pool: every piece once, for any number of threads, many rounds. */
#include "support/support.h"

#include <stdatomic.h>

#include "core/fail.h"
#include "core/pool.h"

enum { PIECES = 257 };

typedef struct tally {
    atomic_int done[PIECES];
    atomic_int bad_worker;
    size_t threads;
} tally;

static void mark(void *user, size_t index, size_t worker)
{
    tally *t = user;
    atomic_fetch_add(&t->done[index], 1);
    if (worker >= t->threads)
        atomic_store(&t->bad_worker, 1);
}

static void test_every_piece_runs_once_for_any_thread_count(void **state)
{
    (void)state;
    for (size_t threads = 1; threads <= 8; threads++) {
        static tally t;
        jsni_pool *pool = NULL;
        memset(&t, 0, sizeof t);
        t.threads = threads;
        assert_ok(jsni_pool_create(&pool, threads));
        assert_int_equal(jsni_pool_threads(pool), threads);
        for (int round = 0; round < 200; round++)
            jsni_pool_run(pool, round % 3 == 0 ? 1 : PIECES, mark, &t);
        jsni_pool_run(pool, 0, mark, &t);
        for (size_t i = 0; i < PIECES; i++)
            assert_int_equal(atomic_load(&t.done[i]), i == 0 ? 200 : 133);
        assert_int_equal(atomic_load(&t.bad_worker), 0);
        jsni_pool_destroy(pool);
    }
}

static jsn_status create_and_destroy(void *user)
{
    (void)user;
    jsni_pool *pool = NULL;
    JSNI_TRY(jsni_pool_create(&pool, 3));
    jsni_pool_destroy(pool);
    return JSN_OK;
}

static void test_creation_survives_failed_allocations(void **state)
{
    (void)state;
    support_walk_allocations(create_and_destroy, NULL);
    jsni_pool *pool = NULL;
    assert_fails(jsni_pool_create(&pool, 1u << 20), JSN_ERR_RANGE, "at most");
    assert_ok(jsni_pool_create(&pool, 0));
    assert_int_equal(jsni_pool_threads(pool), jsni_usable_cores());
    jsni_pool_destroy(pool);
    jsni_pool_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_piece_runs_once_for_any_thread_count),
        cmocka_unit_test(test_creation_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
