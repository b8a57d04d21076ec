/**
 * Measurements as values: suites, figures, targets and doubts, and the differences between two reports. It knows no
 * format.
 */
package dev.nodepath.report;
