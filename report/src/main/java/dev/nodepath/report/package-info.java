/** What was measured, as a value, and its forms: JSON, Markdown, text for a terminal, and one HTML page. */
package dev.nodepath.report;
