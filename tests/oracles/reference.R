# The reference values of tests/data/r/reference.csv, from R's stats, survival and survey packages.
#
#   Rscript tests/oracles/reference.R tests/data/r > tests/data/r/reference.csv
#
# reads episodes.csv, strata.csv and items.csv there and prints "name,index,value" lines.
suppressPackageStartupMessages(library(survival))

folder <- commandArgs(trailingOnly = TRUE)[1]
emit <- function(name, values) {
  for (i in seq_along(values)) cat(sprintf("%s,%d,%s\n", name, i - 1L, format(values[i], digits = 15)))
}
cat("name,index,value\n")

# Survival: times are tied, and some episodes are censored at a time at which others died.
rows <- read.csv(file.path(folder, "episodes.csv"))
curve <- survfit(Surv(time, cause > 0) ~ 1, data = rows, conf.type = "plain")
died <- curve$n.event > 0
emit("km_time", curve$time[died])
emit("km_at_risk", curve$n.risk[died])
emit("km_survival", curve$surv[died])
emit("km_low", curve$lower[died])
emit("km_high", curve$upper[died])
emit("km_median", unname(quantile(curve, 0.5, conf.int = FALSE)))

incidence <- survfit(Surv(time, factor(cause, 0:3)) ~ 1, data = rows)
fell <- rowSums(incidence$n.event[, -1]) > 0
for (kind in 1:3) emit(paste0("aj_kind", kind), incidence$pstate[fell, 1 + kind])

emit_test <- function(name, test) {
  arms <- rbind(rowSums(as.matrix(test$obs)), rowSums(as.matrix(test$exp)))
  emit(name, c(arms[1, 2], arms[2, 2], test$var[2, 2], test$chisq))
}
emit_test("logrank", survdiff(Surv(time, cause > 0) ~ arm, data = rows))
emit_test("logrank_strata", survdiff(Surv(time, cause > 0) ~ arm + strata(stratum), data = rows))
for (kind in 1:3) {
  emit_test(paste0("logrank_kind", kind), survdiff(Surv(time, cause == kind) ~ arm + strata(stratum), data = rows))
}

# The exact conditional test of several 2 x 2 tables: two-sided, by the probabilities no larger than the observed.
tables <- read.csv(file.path(folder, "strata.csv"))
for (case in unique(tables$case)) {
  part <- tables[tables$case == case, ]
  cells <- rbind(part$new_failures, part$new_runs - part$new_failures,
                 part$old_failures, part$old_runs - part$old_failures)
  counts <- array(cells, dim = c(2, 2, nrow(part)))
  # mantelhaen.test refuses strata of fewer than two observations; it has no other use for empty margins.
  emit(paste0("cmh_", case), mantelhaen.test(counts, exact = TRUE)$p.value)
}

# The data of ?mantelhaen.test: 4 of its 5 strata inform. Columns are cured and died; rows none and 1.5 h.
rabbits <- array(c(0, 0, 6, 5, 3, 0, 3, 6, 6, 2, 0, 4, 5, 6, 1, 0, 2, 5, 0, 0), dim = c(2, 2, 5))
emit("cmh_rabbits", mantelhaen.test(rabbits, exact = TRUE)$p.value)

# The Korn-Graubard interval: the survey package, items as clusters.
suppressPackageStartupMessages(library(survey))
items <- read.csv(file.path(folder, "items.csv"))
for (case in unique(items$case)) {
  part <- items[items$case == case, ]
  trials <- data.frame(
    item = rep(seq_len(nrow(part)), part$trials),
    event = unlist(lapply(seq_len(nrow(part)), function(i) rep(1:0, c(part$events[i], part$trials[i] - part$events[i]))))
  )
  interval <- svyciprop(~event, svydesign(ids = ~item, weights = ~1, data = trials), method = "beta")
  emit(paste0("korn_graubard_", case), c(as.numeric(interval), attr(interval, "ci")))
}
