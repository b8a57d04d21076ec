/** A report as JSON, written and read. */
package dev.nodepath.report.json;
