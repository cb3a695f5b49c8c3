/* test_report.c - the page shows hostile text without interpreting it, requests nothing from the network, is well formed for
 * unusual input, and its security policy allows its own style sheet. */
#include "models.h"
#include "report/page.h"

/* Style and script are our own and known: only the rest is examined. */
static void cut(char *page, const char *part) {
    char *at = strstr(page, part);
    assert_non_null(at);
    memmove(at, at + strlen(part), strlen(at + strlen(part)) + 1);
}

static char *page_of(const spd_report *report) {
    char path[64];
    temporary(path);
    spdhg_error err;
    if (spd_report_write(report, path, &err) != SPDHG_OK) fail_msg("%s", err.message);
    char *text = file_text(path, NULL);
    unlink(path);
    cut(text, spd_asset_style.text);
    cut(text, spd_asset_script.text);
    return text;
}

static int occurrences(const char *text, const char *what) {
    int count = 0;
    for (const char *at = text; (at = strstr(at, what)); at += strlen(what)) count++;
    return count;
}

/* Every element that is opened is closed, in order; no coordinate is "nan" or "inf". */
static void check_well_formed(const char *page) {
    char stack[40][24];
    int depth = 0;
    for (const char *at = strchr(page, '<'); at; at = strchr(at + 1, '<')) {
        if (at[1] == '!' || strncmp(at, "<meta", 5) == 0) continue;
        const char *end = strchr(at, '>');
        assert_non_null(end);
        const bool closing = at[1] == '/';
        char name[24] = {0};
        for (int i = 0; i < 23 && at[1 + closing + i] != ' ' && at[1 + closing + i] != '>' && at[1 + closing + i] != '/'; i++)
            name[i] = at[1 + closing + i];
        if (closing) {
            assert_true(depth > 0);
            assert_string_equal(stack[--depth], name);
        } else if (end[-1] != '/')
            strcpy(stack[depth++], name);
        assert_true(depth < 40);
    }
    assert_int_equal(depth, 0);
    assert_null(strstr(page, "'nan"));
    assert_null(strstr(page, "'-nan"));
    assert_null(strstr(page, "'inf"));
    assert_null(strstr(page, "'-inf"));
}

/* The page contains nothing that could run or load. */
static void check_harmless(const char *page) {
    static const char *const never[] = {"http:", "https:", "url(", "@import", "<img", "<iframe", "<link", "src=", "href="};
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (strstr(page, never[i])) fail_msg("the page contains %s", never[i]);
    assert_int_equal(occurrences(page, "<style></style>"), 1);
    assert_int_equal(occurrences(page, "<style"), 1);
    assert_int_equal(occurrences(page, "<script></script>"), 1);
    assert_int_equal(occurrences(page, "<script"), 1);
    assert_null(strstr(page, " style="));
    assert_non_null(strstr(page, "default-src 'none'"));
}

static const spdhg_point trace[] = {
    {0, 0, 0, 0.7, 0.6, 0, 0.7, 0.5, NAN, 0},
    {1, 10, 0.1, 0.5, 0.4, 0.1, 0.55, 0.7, 0.1, 1},
    {2, 20, 0.2, NAN, 0.3, 0.1, NAN, 0.8, 0.01, 1},
    {50, 500, 5, 0.25, 0.2, 0.05, 0.5, 0.9, 0.001, 1},
};

static void hostile_text_is_shown(void **unused) {
    (void)unused;
    spdhg_model *m = model_of("logistic", 3, 1, (double[]){0, 2, -1}, 2);
    static const char attack[] = "<script>alert('x')</script> \" & ~ @ ' onload=1 \x01 \xE9";
    m->name = SPD_NEW(char *, 3);
    for (int j = 0; j < 3; j++) m->name[j] = spd_strdup(attack);
    char **const text[] = {&m->penalty, &m->structure, &m->set, &m->solver, &m->outcome};
    for (int i = 0; i < 5; i++) {
        spd_free(*text[i]);
        *text[i] = spd_strdup(attack);
    }
    snprintf(m->loss, sizeof m->loss, "%.40s", attack);
    char *page = page_of(&(spd_report){.title = attack, .command = attack, .model = m, .point = trace, .points = 4});
    check_harmless(page);
    check_well_formed(page);
    const char *shown = "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &quot; &amp; ~ @ &#39; onload=1 \xEF\xBF\xBD \xC3\xA9";
    assert_int_equal(occurrences(page, shown), 2 + 1 + 2 + 4 + 2 + 2 + 2); /* title twice, command, two names in the table,
                                                                            settings, sentence, names at the bars, what matters */
    spd_free(page);
    spdhg_model_free(m);
}

static void odd_input_still_makes_a_page(void **unused) {
    (void)unused;
    const int64_t d = 40 * 300;
    double *x = SPD_NEW(double, 2 * d);
    for (int64_t i = 0; i < 2 * d; i++) x[i] = i % 7 ? 0 : (double)(i % 5) - 2;
    static const struct {
        int64_t features, outputs, height, width, depth, points;
        bool truth;
        int images;
    } shape[] = {{1, 1, 0, 0, 0, 0, false, 0},  {3, 2, 0, 0, 0, 1, true, 0},   {40 * 300, 1, 0, 0, 0, 4, true, 0},
                 {12, 1, 3, 4, 1, 4, true, 2},  {12, 1, 3, 4, 0, 4, false, 1}, {40 * 300, 2, 40, 300, 1, 4, true, 4},
                 {24, 1, 2, 3, 4, 2, false, 4}, {60, 1, 2, 3, 10, 2, false, 6}};
    for (size_t s = 0; s < sizeof shape / sizeof *shape; s++)
        for (int zero = 0; zero < 2; zero++) {
            spdhg_model *m = model_of("squared", shape[s].features, shape[s].outputs, x, 0);
            if (zero) memset(m->x, 0, (size_t)(m->features * m->outputs) * sizeof(double));
            m->side[0] = shape[s].height, m->side[1] = shape[s].width, m->side[2] = shape[s].depth;
            m->objective = m->gap = m->lambda = NAN;
            char *page = page_of(&(spd_report){.title = "t",
                                               .model = m,
                                               .point = trace,
                                               .points = shape[s].points,
                                               .truth = shape[s].truth && !zero ? x : NULL});
            check_harmless(page);
            check_well_formed(page);
            if (!zero) assert_int_equal(occurrences(page, "<svg class='image'"), shape[s].images);
            assert_int_equal(occurrences(page, "<svg class='plot'"), shape[s].points > 1 ? 3 : 0);
            assert_true(strlen(page) < 3000000);
            spd_free(page);
            spdhg_model_free(m);
        }
    spd_free(x);
    spdhg_model *m = model_of("squared", 1, 1, (double[]){1}, 0);
    spdhg_error err;
    assert_int_equal(spd_report_write(&(spd_report){.title = "t", .model = m}, "/nonexistent/r.html", &err), SPDHG_IO);
    spdhg_model_free(m);
}

/* A 2 x 3 grid: the two nonzero pixels are at their places: pixel (h,w) is feature 3h + w; cells are 320/3 wide. */
static void pixels_are_where_they_belong(void **unused) {
    (void)unused;
    spdhg_model *m = model_of("squared", 6, 1, (double[]){0, 0, 4, -4, 0, 0}, 0);
    m->side[0] = 2, m->side[1] = 3, m->side[2] = 1;
    spd_free(m->structure);
    m->structure = spd_strdup("grid:2x3");
    const spdhg_solution solution = {.dual = 7, .structure_nonzeros = 6, .test_loss = 0.5, .test_score = 0.75};
    char *page = page_of(&(spd_report){.title = "t", .model = m, .solution = &solution});
    assert_non_null(strstr(page, "<b>14.3 %</b><span>zeros of F x</span>"));
    assert_non_null(strstr(page, "<b>66.7 %</b><span>zero coefficients</span>"));
    assert_non_null(strstr(page, "<b>0.75</b><span>test R\xC2\xB2</span>"));
    assert_non_null(strstr(page, "<rect class='p' x='213.33' y='0' width='106.67' height='106.67' fill-opacity='1'/>"));
    assert_non_null(strstr(page, "<rect class='n' x='0' y='106.67' width='106.67' height='106.67' fill-opacity='1'/>"));
    assert_null(strstr(page, "fill-opacity='0'")); /* zeros show the background */
    assert_non_null(strstr(page, "2 of 6 coefficients are nonzero"));
    spd_free(page);
    spdhg_model_free(m);
}

static void check_ticks(double low, double high, bool logarithmic, int count, const double *expected) {
    double tick[SPD_TICKS];
    assert_int_equal(spd_ticks(low, high, logarithmic, 5, tick), count);
    for (int i = 0; i < count; i++) assert_true(fabs(tick[i] - expected[i]) <= 1e-12 * fabs(expected[i]));
}

static void ticks_are_round(void **unused) {
    (void)unused;
    check_ticks(0, 1, false, 6, (double[]){0, 0.2, 0.4, 0.6, 0.8, 1});
    check_ticks(-0.35, 0.62, false, 5, (double[]){-0.2, 0, 0.2, 0.4, 0.6});
    check_ticks(1000, 51000, false, 5, (double[]){10000, 20000, 30000, 40000, 50000});
    check_ticks(0.05, 20, true, 9, (double[]){0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20});
    check_ticks(1e-8, 1e-2, true, 4, (double[]){1e-8, 1e-6, 1e-4, 1e-2});
    check_ticks(3, 3, false, 0, NULL);
    check_ticks(-INFINITY, 3, false, 0, NULL);
    double tick[SPD_TICKS];
    for (int power = -300; power < 300; power += 7) {
        assert_true(spd_ticks(pow(10, power), pow(10, power) * 3, false, 5, tick) >= 3);
        assert_true(spd_ticks(pow(10, power), pow(10, power) * 1e5, true, 5, tick) >= 3);
    }
    char text[SPD_SHORT];
    assert_string_equal(spd_html_count(text, 1234567), "1,234,567");
    assert_string_equal(spd_html_count(text, -123), "-123");
    assert_string_equal(spd_html_count(text, 0), "0");
}

/* The policy's hashes are those that sha256sum computes for the texts; skipped without that tool. */
static void check_hash(const spd_asset *asset) {
    char path[64], command[128], hex[65] = {0};
    temporary(path);
    write_text(path, asset->text, strlen(asset->text));
    snprintf(command, sizeof command, "sha256sum %s", path);
    FILE *pipe = popen(command, "r");
    const bool got = pipe && fread(hex, 1, 64, pipe) == 64;
    if (pipe) pclose(pipe);
    unlink(path);
    if (!got) skip();
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char base64[45] = {0};
    uint32_t bits = 0;
    int have = 0, written = 0;
    for (int i = 0; i < 64; i++) {
        bits = bits << 4 | (uint32_t)(hex[i] <= '9' ? hex[i] - '0' : hex[i] - 'a' + 10);
        have += 4;
        if (have >= 6) base64[written++] = digit[bits >> (have -= 6) & 63];
    }
    base64[written++] = digit[bits << (6 - have) & 63];
    base64[written] = '=';
    assert_string_equal(asset->hash, base64);
    assert_null(strcasestr(asset->text, "</script"));
    assert_null(strcasestr(asset->text, "</style"));
}

static void policy_admits_what_is_embedded(void **unused) {
    (void)unused;
    const spd_asset *const asset[] = {&spd_asset_style, &spd_asset_script, &spd_asset_chart_style, &spd_asset_chart_script};
    for (int i = 0; i < 4; i++) check_hash(asset[i]);
    assert_null(strstr(spd_asset_chart_script.text, "sourceMappingURL"));
    assert_null(strstr(spd_asset_chart_style.text, "sourceMappingURL"));
}

/* A triangle, a pair, and a feature without an edge, all with hostile names. */
static void coefficients_are_drawn_on_their_graph(void **unused) {
    (void)unused;
    const double x[12] = {1, 0, 1, 0, 1, -2, -0.5, 0, 0, 0, 3, 0};
    const int64_t end[8] = {0, 1, 1, 2, 0, 2, 3, 4};
    spdhg_error err;
    for (int64_t K = 1; K <= 2; K++) {
        spdhg_model *m = model_of(K == 1 ? "logistic" : "softmax", 6, K, x, 2);
        m->name = SPD_NEW(char *, 6);
        for (int j = 0; j < 6; j++) m->name[j] = spd_strdup(j == 0 ? "</title><script>alert(1)</script>" : "a'<b");
        spdhg_structure *F, *chain;
        assert_int_equal(spdhg_structure_from_edges(&F, 6, 4, end, NULL, &err), SPDHG_OK);
        assert_int_equal(spdhg_structure_new(&chain, "chain", 6, &err), SPDHG_OK);
        char *page = page_of(&(spd_report){.title = "t", .model = m, .structure = F});
        check_harmless(page);
        check_well_formed(page);
        assert_int_equal(occurrences(page, "<svg class='network'"), K);
        assert_int_equal(occurrences(page, "<circle class='node'"), 5 * K);
        assert_int_equal(occurrences(page, "<line class='edge'"), 4 * K);
        assert_int_equal(occurrences(page, "<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;: "),
                         K + 1); /* its nodes, and a bar where it is not 0 */
        assert_non_null(strstr(page, "without an edge are not drawn: 1, of which 1 have"));
        if (K == 1) {
            assert_int_equal(occurrences(page, "<circle class='p' fill-opacity='0.66'"), 3); /* (1/2)^0.6 */
            assert_int_equal(occurrences(page, "<circle class='p' fill-opacity='0'"), 2);
        } else {
            assert_int_equal(occurrences(page, "<circle class='n' fill-opacity='0.78'"), 1); /* (2/3)^0.6 */
            assert_int_equal(occurrences(page, "<circle class='p' fill-opacity='0.52'"), 3); /* (1/3)^0.6 */
        }
        spd_free(page);
        page = page_of(&(spd_report){.title = "t", .model = m, .structure = chain});
        assert_int_equal(occurrences(page, "<svg class='network'"), 0); /* stems show it */
        spd_free(page);
        spdhg_structure_free(F);
        spdhg_structure_free(chain);
        spdhg_model_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_text_is_shown),          cmocka_unit_test(odd_input_still_makes_a_page),
        cmocka_unit_test(pixels_are_where_they_belong),   cmocka_unit_test(ticks_are_round),
        cmocka_unit_test(policy_admits_what_is_embedded), cmocka_unit_test(coefficients_are_drawn_on_their_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
