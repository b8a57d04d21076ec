/** What {@code compare} found, as a value, and its forms: table, Markdown, JSON and one HTML page. */
package dev.nodepath.emulator.report;
