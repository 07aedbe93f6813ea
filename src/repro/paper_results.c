/* repro/paper_results.c - every number that the paper's result tables print. A row has them
 * in the order in which the paper does; a test holds them to tests/golden/paper_results.csv. */
#include <math.h>
#include <string.h>

#include "core/hd.h"
#include "repro/repro_impl.h"

enum { MOST_COLUMNS = 8 };

/* clang-format off */
static const char *const by_noise[] = {"clean", "sym-20", "sym-40", "sym-60", "sym-80", "asym-20", "asym-40"};
static const char *const by_instance[] = {"clean", "instance1-35", "instance2-35", "instance3-35"};
static const char *const by_weight[] = {"0.1", "0.5", "0.9"};
static const char *const by_augment[] = {
    "full/sym-40", "no-cutout/sym-40", "no-randaugment/sym-40", "weak/sym-40",
    "full/asym-40", "no-cutout/asym-40", "no-randaugment/asym-40", "weak/asym-40"};
static const char *const by_epochs[] = {"200/sym-40", "400/sym-40", "200/asym-40", "400/asym-40"};

static const struct row {
    const char *result, *recipe; /* '*' stands for the name of a column; NULL: other people's */
    const char *title;
    const char *const *columns; /* NULL: a column for each measure of the result */
    double numbers[MOST_COLUMNS + 1][3]; /* mean, deviation, bold; the first unused is 0 */
} rows[] = {
    {"table1", "cifar10/*/ce", NULL, by_noise, {{95.77, 0.11, 1}, {91.63, 0.27}, {87.74, 0.46}, {81.99, 0.56}, {66.51, 1.49}, {92.77, 0.24}, {87.12, 1.21}}},
    {"table1", "cifar10/*/bs", NULL, by_noise, {{94.58, 0.25}, {91.68, 0.32}, {89.23, 0.16}, {82.65, 0.57}, {16.97, 6.36}, {93.06, 0.25}, {88.87, 1.06}}},
    {"table1", "cifar10/*/ls", NULL, by_noise, {{95.64, 0.12}, {93.51, 0.20}, {89.90, 0.20}, {83.96, 0.58}, {67.35, 2.71}, {92.94, 0.17}, {88.10, 0.50}}},
    {"table1", "cifar10/*/sce", NULL, by_noise, {{95.75, 0.16, 1}, {94.29, 0.14}, {92.72, 0.25}, {89.26, 0.37}, {80.68, 0.42, 1}, {93.48, 0.31}, {84.98, 0.76}}},
    {"table1", "cifar10/*/gce", NULL, by_noise, {{95.75, 0.14, 1}, {94.24, 0.18}, {92.82, 0.11}, {89.37, 0.27}, {79.19, 2.04, 1}, {92.83, 0.36}, {87.00, 0.99}}},
    {"table1", "cifar10/*/nce+rce", NULL, by_noise, {{95.36, 0.09}, {94.27, 0.18}, {92.03, 0.31}, {87.30, 0.35}, {77.89, 0.61}, {93.87, 0.03, 1}, {86.83, 0.84}}},
    {"table1", "cifar10/*/js", NULL, by_noise, {{95.89, 0.10, 1}, {94.52, 0.21}, {93.01, 0.22}, {89.64, 0.15}, {76.06, 0.85}, {92.18, 0.31}, {87.99, 0.55}}},
    {"table1", "cifar10/*/gjs", NULL, by_noise, {{95.91, 0.09, 1}, {95.33, 0.18, 1}, {93.57, 0.16, 1}, {91.64, 0.22, 1}, {79.11, 0.31}, {93.94, 0.25, 1}, {89.65, 0.37, 1}}},
    {"table1", "cifar100/*/ce", NULL, by_noise, {{77.60, 0.17}, {65.74, 0.22}, {55.77, 0.83}, {44.42, 0.84}, {10.74, 4.08}, {66.85, 0.32}, {49.45, 0.37}}},
    {"table1", "cifar100/*/bs", NULL, by_noise, {{77.65, 0.29}, {72.92, 0.50}, {68.52, 0.54}, {53.80, 1.76}, {13.83, 4.41}, {73.79, 0.43}, {64.67, 0.69, 1}}},
    {"table1", "cifar100/*/ls", NULL, by_noise, {{78.60, 0.04}, {74.88, 0.15}, {68.41, 0.20}, {54.58, 0.47}, {26.98, 1.07}, {73.17, 0.46}, {57.20, 0.85}}},
    {"table1", "cifar100/*/sce", NULL, by_noise, {{78.29, 0.24}, {74.21, 0.37}, {68.23, 0.29}, {59.28, 0.58}, {26.80, 1.11}, {70.86, 0.44}, {51.12, 0.37}}},
    {"table1", "cifar100/*/gce", NULL, by_noise, {{77.65, 0.17}, {75.02, 0.24}, {71.54, 0.39}, {65.21, 0.16}, {49.68, 0.84, 1}, {72.13, 0.39}, {51.50, 0.71}}},
    {"table1", "cifar100/*/nce+rce", NULL, by_noise, {{74.66, 0.21}, {72.39, 0.24}, {68.79, 0.29}, {62.18, 0.35}, {31.63, 3.59}, {71.35, 0.16}, {57.80, 0.52}}},
    {"table1", "cifar100/*/js", NULL, by_noise, {{77.95, 0.39}, {75.41, 0.28}, {71.12, 0.30}, {64.36, 0.34}, {45.05, 0.93}, {71.70, 0.36}, {49.36, 0.25}}},
    {"table1", "cifar100/*/gjs", NULL, by_noise, {{79.27, 0.29, 1}, {78.05, 0.25, 1}, {75.71, 0.25, 1}, {70.15, 0.30, 1}, {44.49, 0.53}, {74.60, 0.47, 1}, {63.70, 0.22}}},
    {"table12", "cifar10/noisy-val/*/ce", NULL, by_noise, {{95.66, 0.18, 1}, {91.47, 0.28}, {87.31, 0.29}, {81.96, 0.38}, {65.28, 0.90}, {92.80, 0.64}, {85.82, 0.42}}},
    {"table12", "cifar10/noisy-val/*/bs", NULL, by_noise, {{95.47, 0.11}, {93.65, 0.23}, {90.77, 0.30}, {49.80, 20.64}, {32.91, 5.43}, {93.86, 0.14}, {85.37, 1.07}}},
    {"table12", "cifar10/noisy-val/*/ls", NULL, by_noise, {{95.45, 0.15}, {93.52, 0.09}, {89.94, 0.17}, {84.13, 0.80}, {62.76, 2.00}, {92.71, 0.41}, {83.61, 1.21}}},
    {"table12", "cifar10/noisy-val/*/sce", NULL, by_noise, {{94.92, 0.18}, {93.41, 0.20}, {90.99, 0.20}, {86.04, 0.31}, {41.04, 4.56}, {93.26, 0.13}, {84.46, 1.22}}},
    {"table12", "cifar10/noisy-val/*/gce", NULL, by_noise, {{94.94, 0.09}, {93.79, 0.19}, {91.45, 0.17}, {86.00, 0.20}, {62.01, 2.54}, {93.23, 0.12}, {85.92, 0.61}}},
    {"table12", "cifar10/noisy-val/*/nce+rce", NULL, by_noise, {{94.31, 0.16}, {92.79, 0.16}, {90.31, 0.23}, {84.80, 0.47}, {34.47, 14.66}, {92.99, 0.15}, {87.00, 1.05}}},
    {"table12", "cifar10/noisy-val/*/js", NULL, by_noise, {{94.74, 0.21}, {93.53, 0.23}, {91.57, 0.22}, {86.21, 0.48}, {65.87, 2.92}, {92.97, 0.26}, {86.42, 0.36}}},
    {"table12", "cifar10/noisy-val/*/gjs", NULL, by_noise, {{95.86, 0.10, 1}, {95.20, 0.11, 1}, {94.13, 0.19, 1}, {89.65, 0.26, 1}, {76.74, 0.75, 1}, {94.81, 0.10, 1}, {90.29, 0.26, 1}}},
    {"table12", "cifar100/noisy-val/*/ce", NULL, by_noise, {{77.84, 0.17}, {65.74, 0.06}, {55.57, 0.55}, {44.60, 0.79}, {10.74, 5.11}, {66.61, 0.45}, {50.42, 0.44}}},
    {"table12", "cifar100/noisy-val/*/bs", NULL, by_noise, {{77.63, 0.25}, {73.01, 0.28}, {68.35, 0.43}, {54.07, 1.16}, {2.43, 0.49}, {69.75, 0.35}, {50.61, 0.32}}},
    {"table12", "cifar100/noisy-val/*/ls", NULL, by_noise, {{77.60, 0.28}, {74.22, 0.30}, {66.84, 0.28}, {54.09, 0.71}, {21.00, 2.14}, {73.30, 0.42}, {57.02, 0.57, 1}}},
    {"table12", "cifar100/noisy-val/*/sce", NULL, by_noise, {{77.46, 0.39}, {73.26, 0.29}, {66.96, 0.27}, {54.09, 0.49}, {13.26, 2.31}, {71.22, 0.33}, {49.91, 0.28}}},
    {"table12", "cifar100/noisy-val/*/gce", NULL, by_noise, {{76.70, 0.39}, {74.14, 0.32}, {70.41, 0.40}, {62.14, 0.27}, {12.38, 3.74}, {69.40, 0.30}, {48.54, 0.30}}},
    {"table12", "cifar100/noisy-val/*/nce+rce", NULL, by_noise, {{73.23, 0.34}, {70.19, 0.27}, {65.61, 0.87}, {50.33, 1.58}, {5.55, 1.67}, {69.47, 0.25}, {56.32, 0.33}}},
    {"table12", "cifar100/noisy-val/*/js", NULL, by_noise, {{77.20, 0.53}, {74.47, 0.25}, {70.12, 0.39}, {61.69, 0.63}, {27.77, 4.11, 1}, {67.21, 0.37}, {49.39, 0.13}}},
    {"table12", "cifar100/noisy-val/*/gjs", NULL, by_noise, {{78.76, 0.32, 1}, {77.14, 0.45, 1}, {74.69, 0.12, 1}, {64.06, 0.52, 1}, {12.95, 2.40}, {74.44, 0.49, 1}, {52.34, 0.81}}},
    {"table13", "cifar10/*/ce", NULL, by_noise, {{94.35, 0.10}, {88.17, 0.19}, {82.66, 0.37}, {75.75, 0.29}, {64.28, 1.15}, {89.28, 0.20}, {85.26, 0.67}}},
    {"table13", "cifar10/*/bs", NULL, by_noise, {{91.18, 0.22}, {86.50, 0.24}, {82.90, 0.31}, {75.59, 0.51}, {70.68, 24.17, 1}, {89.27, 0.12}, {85.77, 0.72}}},
    {"table13", "cifar10/*/ls", NULL, by_noise, {{94.22, 0.12}, {90.20, 0.18}, {84.42, 0.06}, {77.29, 0.17}, {62.16, 2.07}, {89.31, 0.22}, {85.76, 0.49}}},
    {"table13", "cifar10/*/sce", NULL, by_noise, {{94.65, 0.18}, {91.11, 0.12}, {88.98, 0.14}, {84.70, 0.20}, {75.73, 0.20}, {90.16, 0.19}, {83.69, 0.36}}},
    {"table13", "cifar10/*/gce", NULL, by_noise, {{94.00, 0.08}, {91.12, 0.07}, {89.00, 0.15}, {84.58, 0.17}, {75.86, 0.41}, {89.07, 0.27}, {84.88, 0.51}}},
    {"table13", "cifar10/*/nce+rce", NULL, by_noise, {{92.99, 0.16}, {91.15, 0.17}, {88.00, 0.15}, {82.01, 0.33}, {73.24, 0.69}, {91.09, 0.10}, {85.27, 0.37}}},
    {"table13", "cifar10/*/js", NULL, by_noise, {{94.95, 0.06, 1}, {91.46, 0.10}, {89.31, 0.09}, {84.77, 0.11}, {70.57, 0.68}, {87.47, 0.07}, {84.26, 0.21}}},
    {"table13", "cifar10/*/gjs", NULL, by_noise, {{94.78, 0.06}, {94.24, 0.12, 1}, {91.21, 0.05, 1}, {90.36, 0.08, 1}, {78.42, 0.29, 1}, {91.88, 0.17, 1}, {89.08, 0.36, 1}}},
    {"table13", "cifar100/*/ce", NULL, by_noise, {{86.24, 0.49}, {71.33, 0.27}, {59.45, 0.51}, {46.67, 0.71}, {33.07, 1.96}, {78.26, 0.10}, {71.94, 0.30}}},
    {"table13", "cifar100/*/bs", NULL, by_noise, {{86.04, 0.32}, {77.59, 0.54}, {70.70, 0.50}, {65.44, 1.60}, {33.78, 1.77}, {76.45, 0.57}, {72.54, 0.74}}},
    {"table13", "cifar100/*/ls", NULL, by_noise, {{88.40, 0.07}, {80.83, 0.11}, {73.18, 0.09}, {59.11, 0.10}, {36.69, 0.39}, {78.78, 0.49}, {67.76, 0.37}}},
    {"table13", "cifar100/*/sce", NULL, by_noise, {{85.72, 0.11}, {79.60, 0.20}, {71.50, 0.24}, {61.63, 0.80}, {39.98, 1.08}, {75.40, 0.70}, {63.66, 0.33}}},
    {"table13", "cifar100/*/gce", NULL, by_noise, {{85.63, 0.19}, {82.22, 0.14}, {77.69, 0.13}, {68.00, 0.25}, {53.28, 0.83}, {76.32, 0.21}, {64.77, 0.43}}},
    {"table13", "cifar100/*/nce+rce", NULL, by_noise, {{78.14, 0.16}, {75.04, 0.19}, {70.59, 0.29}, {63.60, 0.41}, {43.63, 2.00}, {74.07, 0.31}, {64.47, 0.30}}},
    {"table13", "cifar100/*/js", NULL, by_noise, {{85.99, 0.24}, {82.58, 0.28}, {75.92, 0.38}, {66.80, 0.58}, {48.09, 1.14}, {78.25, 0.14}, {66.94, 0.46}}},
    {"table13", "cifar100/*/gjs", NULL, by_noise, {{89.54, 0.10, 1}, {87.73, 0.13, 1}, {85.67, 0.15, 1}, {79.09, 0.19, 1}, {59.74, 0.70, 1}, {84.52, 0.13, 1}, {74.98, 0.25, 1}}},
    {"table8", "cifar10/*/ce", NULL, by_instance, {{94.35, 0.10}, {83.16, 0.36}, {81.18, 0.38}, {81.80, 0.13}}},
    {"table8", "cifar10/*/gce", NULL, by_instance, {{94.00, 0.08}, {86.50, 0.16, 1}, {83.80, 0.26, 1}, {84.85, 0.12, 1}}},
    {"table8", "cifar10/*/gjs", NULL, by_instance, {{94.78, 0.06, 1}, {85.98, 0.12}, {83.81, 0.12, 1}, {84.83, 0.26, 1}}},
    {"table8", "cifar100/*/ce", NULL, by_instance, {{77.60, 0.17}, {62.46, 0.31}, {63.51, 0.41}, {62.44, 0.47}}},
    {"table8", "cifar100/*/gce", NULL, by_instance, {{77.65, 0.17}, {65.62, 0.32}, {65.84, 0.35}, {65.85, 0.32}}},
    {"table8", "cifar100/*/gjs", NULL, by_instance, {{79.27, 0.29, 1}, {68.49, 0.14, 1}, {69.21, 0.16, 1}, {69.04, 0.16, 1}}},
    {"table2", NULL, "ELR+[Inception-ResNet-V2;Mixup;2net]", NULL, {{77.78, NAN}, {91.68, NAN, 1}, {70.29, NAN}, {89.76, NAN}}},
    {"table2", NULL, "DivideMix[Inception-ResNet-V2;Mixup;2net]", NULL, {{77.32, NAN}, {91.64, NAN, 1}, {75.20, NAN, 1}, {90.84, NAN}}},
    {"table2", NULL, "DivideMix[ResNet-50;Mixup;2net]", NULL, {{76.32, 0.36}, {90.65, 0.16}, {74.42, 0.29}, {91.21, 0.12, 1}}},
    {"table2", "webvision/ce", "CE[ResNet-50;ColorJitter;1net]", NULL, {{70.69, 0.66}, {88.64, 0.17}, {67.32, 0.57}, {88.00, 0.49}}},
    {"table2", "webvision/js", "JS[ResNet-50;ColorJitter;1net]", NULL, {{74.56, 0.32}, {91.09, 0.08}, {70.36, 0.12}, {90.60, 0.09}}},
    {"table2", "webvision/gjs", "GJS[ResNet-50;ColorJitter;1net]", NULL, {{77.99, 0.35}, {90.62, 0.28}, {74.33, 0.46}, {90.33, 0.20}}},
    {"table2", "webvision/gjs-2net", "GJS[ResNet-50;ColorJitter;2net]", NULL, {{79.28, 0.24, 1}, {91.22, 0.30}, {75.50, 0.17, 1}, {91.27, 0.26, 1}}},
    {"table3", "table3/js", NULL, NULL, {{71.0, NAN}}},
    {"table3", "table3/js-mean", NULL, NULL, {{68.7, NAN}}},
    {"table3", "table3/gjs", NULL, NULL, {{74.3, NAN}}},
    {"table4", "table4/js-js/*", NULL, by_weight, {{70.0, NAN}, {71.5, NAN, 1}, {55.3, NAN}}},
    {"table4", "table4/gjs-js/*", NULL, by_weight, {{72.6, NAN}, {72.9, NAN, 1}, {70.2, NAN}}},
    {"table4", "table4/js-gjs/*", NULL, by_weight, {{71.0, NAN}, {74.1, NAN, 1}, {68.0, NAN}}},
    {"table4", "table4/gjs-gjs/*", NULL, by_weight, {{71.3, NAN}, {74.7, NAN, 1}, {73.8, NAN}}},
    {"table5", "table5/*/gce", NULL, by_augment, {{70.8, NAN}, {64.2, NAN}, {64.1, NAN}, {58.0, NAN}, {51.7, NAN}, {44.9, NAN}, {46.6, NAN}, {42.9, NAN}}},
    {"table5", "table5/*/nce+rce", NULL, by_augment, {{68.5, NAN}, {66.6, NAN}, {68.3, NAN}, {61.7, NAN}, {57.5, NAN}, {52.1, NAN}, {49.5, NAN}, {44.4, NAN}}},
    {"table5", "table5/*/gjs", NULL, by_augment, {{74.8, NAN, 1}, {71.3, NAN, 1}, {70.6, NAN, 1}, {66.5, NAN, 1}, {62.6, NAN, 1}, {56.8, NAN, 1}, {52.2, NAN, 1}, {44.9, NAN, 1}}},
    {"table6", "table6/*/gce", NULL, by_epochs, {{70.3, NAN}, {70.8, NAN}, {39.1, NAN}, {51.7, NAN}}},
    {"table6", "table6/*/nce+rce", NULL, by_epochs, {{60.0, NAN}, {68.5, NAN}, {35.0, NAN}, {57.5, NAN}}},
    {"table6", "table6/*/gjs", NULL, by_epochs, {{72.9, NAN, 1}, {74.8, NAN, 1}, {43.2, NAN, 1}, {62.6, NAN, 1}}},
    {"table9", "animal10n/ce", NULL, NULL, {{79.4, 0.14}}},
    {"table9", NULL, "SELFIE", NULL, {{81.8, 0.09}}},
    {"table9", NULL, "PLC", NULL, {{83.4, 0.43}}},
    {"table9", "animal10n/gjs", NULL, NULL, {{84.2, 0.07, 1}}},
    {"table10", "food101n/ce", NULL, NULL, {{81.67, NAN}}},
    {"table10", NULL, "CleanNet", NULL, {{83.95, NAN}}},
    {"table10", NULL, "PLC", NULL, {{85.28, 0.04}}},
    {"table10", "food101n/gjs", NULL, NULL, {{86.56, 0.13, 1}}},
};
/* clang-format on */

bool jsni_paper_next(jsni_paper_result *p)
{
    if (p->result != NULL && rows[p->at_row].numbers[++p->at_column][0] == 0.0) {
        p->at_row++;
        p->at_column = 0;
    }
    if (p->at_row == JSNI_COUNT_OF(rows))
        return false;
    const struct row *row = &rows[p->at_row];
    const double *number = row->numbers[p->at_column];
    const char *recipe = row->recipe == NULL ? "" : row->recipe;
    const size_t star = strcspn(recipe, "*");
    const bool named = recipe[star] == '*';
    p->result = row->result;
    p->title = row->title;
    p->measure = row->columns == NULL ? p->at_column : 0;
    p->number = (jsni_published){number[0], number[1], number[2] != 0.0};
    (void)jsni_format(p->recipe, sizeof p->recipe, "%.*s%s%s", (int)star, recipe,
                      named ? row->columns[p->at_column] : "", recipe + star + named);
    return true;
}
