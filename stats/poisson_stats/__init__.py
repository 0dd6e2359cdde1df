"""Exact tests, intervals and detection limits: arrays in, frozen dataclasses out.

Where to look, by question; each call is documented with its formula, its edges and its source.

======================================================  =====================================================
question                                                module
======================================================  =====================================================
did a condition change between two runs                 `comparison`, of `fisher`, `mcnemar`, `boschloo`
by how much                                             `difference_intervals`, `rate_intervals`
what could have been seen, and how many runs it takes   `limits`, `planning`
many tests at one level                                 `multiplicity`, `discrete_fdr`
what the comparison says, and what may mislead it       `verdict`, `missing`
may a sweep stop early                                  `sequential`, of `e_values`
did the failure share change, input by input            `share_comparison`, of `stratified`, `risk_difference`,
                                                        `sign_flip`, `consistency`, `share_limit`; `input_flags`
where do runs die                                       `survival`, `competing_risks`
do two runs die in different places                     `survival_comparison`, of `logrank`
how often does a decision flip on the same request      `replay`, `agreement`; `item_interval`, `clustering`
is a promised bound kept                                `promises`
do all, or any, of k attempts succeed                   `pass_at_k`
======================================================  =====================================================

PYTEST_DONT_REWRITE: nothing here asserts.
"""
