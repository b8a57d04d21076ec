/**
 * What was measured, as values: suites, figures, targets and doubts, and what differs between two reports. It knows
 * no format.
 */
package dev.nodepath.report;
