/** A report as Markdown and as tables for a terminal. */
package dev.nodepath.report.text;
