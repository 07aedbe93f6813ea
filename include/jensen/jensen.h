/* jensen/jensen.h - every public header of libjensen. */
#ifndef JENSEN_JENSEN_H
#define JENSEN_JENSEN_H

#include "jensen/array.h"
#include "jensen/augment.h"
#include "jensen/backend.h"
#include "jensen/classifier.h"
#include "jensen/dataset.h"
#include "jensen/fetch.h"
#include "jensen/image.h"
#include "jensen/image_file.h"
#include "jensen/json.h"
#include "jensen/limit.h"
#include "jensen/log.h"
#include "jensen/loss.h"
#include "jensen/machine.h"
#include "jensen/model.h"
#include "jensen/network.h"
#include "jensen/noise.h"
#include "jensen/option.h"
#include "jensen/param.h"
#include "jensen/recipe.h"
#include "jensen/report.h"
#include "jensen/repro.h"
#include "jensen/run_check.h"
#include "jensen/stats.h"
#include "jensen/status.h"
#include "jensen/sweep.h"
#include "jensen/theory.h"
#include "jensen/train.h"
#include "jensen/version.h"

#endif /* JENSEN_JENSEN_H */
