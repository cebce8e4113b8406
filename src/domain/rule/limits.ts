/** The maximum number of rules of a link. */
export const MAX_RULES = 20;
/** The maximum number of conditions of a rule. */
export const MAX_CONDITIONS = 10;
/** The maximum number of targets of a rule. */
export const MAX_RULE_TARGETS = 10;
/** The maximum number of values of a condition. */
export const MAX_CONDITION_VALUES = 100;
/** The maximum number of tests of a link. */
export const MAX_RULE_TESTS = 20;
/** The maximum size of a link's rules, and that of its tests, in bytes of JSON. */
export const MAX_RULES_BYTES = 64 * 1024;
/** The longest name of a rule or a target, in characters. */
export const MAX_RULE_NAME = 60;
/** The maximum weight of a target. */
export const MAX_WEIGHT = 1_000;
