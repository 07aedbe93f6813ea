/* tests/report/test_report_page.c - SVG charts, axes, and the HTML page. */
#include "support/support.h"

#include <math.h>

#include "core/alloc.h"
#include "core/text.h"
#include "jensen/loss.h"
#include "jensen/option.h"
#include "jensen/report.h"
#include "report/axis.h"
#include "report/chart.h"
#include "report/escape.h"
#include "report/html.h"
#include "report/matrix.h"
#include "report/svg.h"

static void assert_ticks(double low, double high, bool log_scale, size_t most,
                         const char *expected)
{
    jsni_tick ticks[JSNI_TICKS];
    char got[512];
    jsni_text list = jsni_text_in(got, sizeof got);
    const size_t count = jsni_axis_ticks(low, high, log_scale, most, ticks);
    for (size_t i = 0; i < count; i++) {
        assert_true(ticks[i].value >= low - 1e-9 * fabs(low) - 1e-12);
        assert_true(ticks[i].value <= high + 1e-9 * fabs(high) + 1e-12);
        if (ticks[i].text[0] != '\0')
            jsni_text_format(&list, "%s%s", list.length == 0 ? "" : " ", ticks[i].text);
    }
    assert_string_equal(got, expected);
}

static void test_ticks_are_round(void **state)
{
    (void)state;
    assert_ticks(0, 1, false, 5, "0.0 0.2 0.4 0.6 0.8 1.0");
    assert_ticks(0, 120, false, 6, "0 20 40 60 80 100 120");
    assert_ticks(-0.3, 0.31, false, 6,
                 "\xE2\x88\x92"
                 "0.2 0.0 0.2");
    assert_ticks(93.1, 93.4, false, 4, "93.1 93.2 93.3 93.4");
    assert_ticks(0.001, 1000, true, 8, "0.001 0.01 0.1 1 10 100 1000");
    assert_ticks(1e-6, 1, true, 3,
                 "10^{\xE2\x88\x92"
                 "6} 10^{\xE2\x88\x92"
                 "4} 0.01 1");
    assert_ticks(0.9, 12, true, 6, "1 2 5 10");
}

static void test_ranges_are_usable(void **state)
{
    (void)state;
    double low = INFINITY, high = -INFINITY;
    jsni_axis_range(&low, &high, false, 0.05);
    assert_true(low < high && isfinite(low) && isfinite(high));
    low = high = 5.0;
    jsni_axis_range(&low, &high, false, 0.05);
    assert_true(low < 5.0 && high > 5.0);
    low = 0.0;
    high = 10.0;
    jsni_axis_range(&low, &high, true, 0.0);
    assert_true(low > 0.0 && low < high);
}

static void test_escape_is_well_formed_for_any_bytes(void **state)
{
    (void)state;
    jsni_text out = {0};
    jsni_escape_xml(&out, "<a href='x'>&\"\x01\xFF\xC3\xA9\xED\xA0\x80\n");
    assert_string_equal(out.data, "&lt;a href=&#39;x&#39;&gt;&amp;&quot;\xEF\xBF\xBD"
                                  "\xEF\xBF\xBD\xC3\xA9\xEF\xBF\xBD\xEF\xBF\xBD"
                                  "\xEF\xBF\xBD\n");
    jsni_text_release(&out);
}

static void test_widths_order_texts(void **state)
{
    (void)state;
    assert_true(jsni_svg_width("iiii", 12, false) < jsni_svg_width("WWWW", 12, false));
    assert_true(jsni_svg_width("p_{y}", 12, true) < jsni_svg_width("p_{y}", 12, false));
    /* 11 px digits are at most 0.64 em wide in the faces named in the style. */
    assert_true(jsni_svg_width("0000", 11, false) >= 4 * 11 * 0.63);
}

static const double epochs[] = {1, 2, 3, 4}, means[] = {0.2, NAN, 0.5, 0.6},
                    lows[] = {0.1, 0.2, 0.4, 0.5}, highs[] = {0.3, 0.4, 0.6, INFINITY};
static const char *const names[] = {"a <long> category name that does not fit", "b",
                                    "c & d", "e"};
static const jsni_series series[] = {
    {.name = "line & band",
     .draw = JSNI_DRAW_LINE | JSNI_DRAW_BAND | JSNI_DRAW_MARKERS,
     .x = epochs,
     .y = means,
     .low = lows,
     .high = highs,
     .count = 4},
    {.name = "bars",
     .draw = JSNI_DRAW_BARS | JSNI_DRAW_ERRORS,
     .y = means,
     .low = lows,
     .high = highs,
     .count = 4,
     .colour = 14},
};

static jsn_status draw_page(void *user)
{
    char **out = user;
    jsni_text page = {0};
    jsni_table table = {.caption = "T"};
    const jsni_chart charts[2] = {
        {.title = "<curves>",
         .x = {.label = "epoch"},
         .y = {.label = "accuracy"},
         .series = series,
         .series_count = 1,
         .legend = JSNI_LEGEND_BELOW},
        {.title = "bars",
         .x = {.categories = names, .category_count = 4},
         .series = series + 1,
         .series_count = 1,
         .legend = JSNI_LEGEND_RIGHT},
    };
    jsni_table_column(&table, NULL, "x", JSNI_ALIGN_LEFT);
    jsni_table_text(&table, "<y>");
    jsni_html_begin(&page, "Title <script>", "lead & more");
    jsni_html_numbers_begin(&page);
    jsni_html_number(&page, "accuracy", "93%", NULL);
    jsni_html_numbers_end(&page);
    jsni_html_heading(&page, "H");
    jsni_html_subheading(&page, "h");
    jsni_html_facts_begin(&page);
    jsni_html_fact(&page, "loss", "gjs<1>");
    jsni_html_facts_end(&page);
    jsni_html_figure_begin(&page);
    jsni_chart_figure(&page, charts, 2, 2, "description", false);
    jsni_html_figure_end(&page, "caption");
    const double shares[4] = {0.98, 0.02, NAN, 1.0};
    const jsni_matrix matrix = {.title = "<confusion>",
                                .row_label = "true",
                                .column_label = "predicted",
                                .names = names,
                                .values = shares,
                                .size = 2};
    jsni_matrix_figure(&page, &matrix, NULL, false);
    jsni_html_table(&page, &table);
    jsni_html_gallery_begin(&page, 64);
    const jsni_gallery_image image = {.png = "\x89PNG",
                                      .bytes = 4,
                                      .line = {"cat", "looks like dog", "a.jpg"},
                                      .flag = "wrong?",
                                      .name = "cat/\"a\".jpg",
                                      .link = "../cat/a.jpg"};
    jsni_html_gallery_png(&page, &image);
    jsni_html_gallery_end(&page);
    jsni_html_fold_begin(&page, "log");
    jsni_html_code(&page, "a\n<b>");
    jsni_html_fold_end(&page);
    jsni_html_link(&page, "runs/1/report.html", "run 1");
    jsni_html_link(&page, "javascript:alert(1)", "bad");
    jsni_html_link(&page, "java\nscript:alert(1)", "bad");
    jsni_html_end(&page);
    jsni_table_release(&table);
    return jsni_text_take(&page, out);
}

static void test_page_is_self_contained_and_escaped(void **state)
{
    (void)state;
    char *page = NULL, *again = NULL;
    assert_ok(draw_page(&page));
    assert_ok(draw_page(&again));
    assert_string_equal(page, again);
    assert_null(strstr(page, "<script"));
    assert_null(strstr(page, "javascript:"));
    assert_null(strstr(page, "gjs<1>"));
    assert_null(strstr(page, "<curves>"));
    assert_null(strstr(page, "<y>"));
    assert_null(strstr(page, "<confusion>"));
    assert_non_null(strstr(page, ">98</text>"));
    assert_non_null(strstr(page, ">2.0</text>"));
    assert_null(strstr(page, "nan"));
    assert_null(strstr(page, "inf"));
    assert_non_null(strstr(page, "Title &lt;script&gt;"));
    assert_non_null(strstr(page, "prefers-color-scheme:dark"));
    assert_non_null(strstr(page, "data:image/png;base64,iVBORw=="));
    assert_non_null(strstr(page, "<a href=\"runs/1/report.html\">run 1</a>"));
    jsni_free(page);
    jsni_free(again);
}

static jsn_status draw_page_once(void *user)
{
    (void)user;
    char *page = NULL;
    const jsn_status status = draw_page(&page);
    jsni_free(page);
    return status;
}

static jsn_status render_plot(void *user)
{
    char *svg = NULL;
    const jsn_status status = jsn_plot_render(user, NULL, true, &svg);
    jsni_free(svg);
    return status;
}

/* The heat map allocates once a grid point; the walk over all of them is cut short by
 * walking a plot that does not. */
static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    char name[] = "js-ce-mae", heat[] = "gjs-simplex";
    support_walk_allocations(draw_page_once, NULL);
    support_walk_allocations(render_plot, name);
    jsni_alloc_fail_at(3000);
    assert_int_equal(render_plot(heat), JSN_ERR_MEMORY);
    assert_true(jsni_alloc_fail_off());
}

/* scripts/make_figures.sh draws them; a new loss is noticed here. */
static void test_every_loss_has_a_curve_and_a_figure(void **state)
{
    (void)state;
    for (size_t i = 0; jsn_loss_describe(i) != NULL; i++) {
        const char *name = jsn_loss_describe(i)->name;
        char path[512], *svg = NULL;
        assert_ok(jsn_plot_render("loss", name, false, &svg));
        assert_null(strstr(svg, "nan"));
        assert_null(strstr(svg, "inf"));
        assert_non_null(strstr(svg, "</svg>"));
        jsn_text_release(svg);
        (void)snprintf(path, sizeof path, "%s/../../docs/img/loss_%s.svg",
                       JSN_TEST_GOLDEN, name);
        for (char *c = strrchr(path, '/'); *c != '\0'; c++)
            *c = *c == '-' || *c == '+' ? '_' : *c;
        FILE *file = fopen(path, "rb");
        if (file == NULL)
            fail_msg("no figure %s: run scripts/make_figures.sh", path);
        (void)fclose(file);
    }
    char *svg = NULL;
    assert_fails(jsn_plot_render("loss", NULL, false, &svg), JSN_ERR_ARGUMENT, "loss");
    assert_fails(jsn_plot_render("loss", "gse", false, &svg), JSN_ERR_UNKNOWN_NAME,
                 "gse");
}

/* Labels that differ at their end are told apart: whole, or in two lines. */
static void test_long_categories_are_not_cut(void **state)
{
    (void)state;
    static const char *const types[] = {"instance-dependent, 35% Type I",
                                        "instance-dependent, 35% Type II",
                                        "instance-dependent, 35% Type III"};
    const double y[] = {1.0, 2.0, 3.0};
    const jsni_series lines = {.draw = JSNI_DRAW_BARS, .y = y, .count = 3};
    jsni_chart chart = {.x = {.categories = types, .category_count = 3},
                        .series = &lines,
                        .series_count = 1,
                        .width = 900};
    jsni_text out = {0};
    jsni_chart_figure(&out, &chart, 1, 1, NULL, true);
    for (size_t i = 0; i < 3; i++)
        assert_non_null(strstr(out.data, types[i]));
    jsni_text_release(&out);
    chart.width = 480;
    jsni_chart_figure(&out, &chart, 1, 1, NULL, true);
    assert_null(strstr(out.data, "\xE2\x80\xA6"));
    assert_null(strstr(out.data, "rotate"));
    assert_non_null(strstr(out.data, ">instance-dependent,<"));
    assert_non_null(strstr(out.data, ">35% Type III<"));
    jsni_text_release(&out);
}

static size_t count_of(const char *text, const char *words)
{
    size_t count = 0;
    for (; (text = strstr(text, words)) != NULL; text++)
        count++;
    return count;
}

static void test_error_bars_are_told_apart(void **state)
{
    (void)state;
    const double x[] = {1.0, 2.0}, y[] = {5.0, 5.0}, low[] = {4.0, 4.0},
                 high[] = {6.0, 6.0};
    jsni_series lines[2];
    for (int i = 0; i < 2; i++)
        lines[i] = (jsni_series){.draw = JSNI_DRAW_LINE | JSNI_DRAW_ERRORS,
                                 .x = x,
                                 .y = y,
                                 .low = low,
                                 .high = high,
                                 .count = 2,
                                 .colour = i,
                                 .dash = i};
    const jsni_chart chart = {.series = lines, .series_count = 2};
    jsni_text out = {0};
    jsni_chart_figure(&out, &chart, 1, 1, NULL, true);
    const char *whiskers[2] = {strstr(out.data, "class=\"j-s0\""),
                               strstr(out.data, "class=\"j-s1\"")};
    double at[2] = {0.0, 0.0};
    for (size_t i = 0; i < 2; i++) {
        assert_non_null(whiskers[i]);
        assert_int_equal(sscanf(strstr(whiskers[i], "d=\"M"), "d=\"M%lf", &at[i]), 1);
    }
    assert_close(at[1] - at[0], 5.0, 0.011, 0.0); /* pixels */
    jsni_text_release(&out);
    /* On bars they have a light edge, and the place of their bar. */
    for (int i = 0; i < 2; i++)
        lines[i].draw = JSNI_DRAW_BARS | JSNI_DRAW_ERRORS;
    jsni_chart_figure(&out, &chart, 1, 1, NULL, true);
    assert_int_equal(count_of(out.data, "class=\"j-halo\" stroke-width=\"3\""), 4);
    assert_null(strstr(out.data, "class=\"j-s0\""));
    jsni_text_release(&out);
    for (int i = 0; i < JSNI_DASHES; i++)
        for (int k = 0; k < i; k++)
            assert_string_not_equal(jsni_svg_dash(i), jsni_svg_dash(k));
}

static void test_empty_charts_draw(void **state)
{
    (void)state;
    const jsni_chart empty = {.title = "nothing"};
    const double bad[2] = {NAN, INFINITY};
    const jsni_series lost = {.name = "lost",
                              .x = bad,
                              .y = bad,
                              .count = 2,
                              .draw = JSNI_DRAW_LINE | JSNI_DRAW_MARKERS};
    const jsni_chart gone = {
        .series = &lost, .series_count = 1, .y = {.log_scale = true}};
    jsni_text out = {0};
    jsni_chart_figure(&out, &empty, 1, 1, NULL, true);
    jsni_chart_figure(&out, &gone, 1, 1, NULL, true);
    jsni_chart_figure(&out, NULL, 0, 3, NULL, true);
    assert_null(strstr(out.data, "nan"));
    assert_null(strstr(out.data, "inf"));
    jsni_text_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ticks_are_round),
        cmocka_unit_test(test_ranges_are_usable),
        cmocka_unit_test(test_escape_is_well_formed_for_any_bytes),
        cmocka_unit_test(test_widths_order_texts),
        cmocka_unit_test(test_page_is_self_contained_and_escaped),
        cmocka_unit_test(test_every_allocation_may_fail),
        cmocka_unit_test(test_every_loss_has_a_curve_and_a_figure),
        cmocka_unit_test(test_empty_charts_draw),
        cmocka_unit_test(test_long_categories_are_not_cut),
        cmocka_unit_test(test_error_bars_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
