/**
 * The forms of a report: JSON, Markdown, tables for a terminal, and one HTML page without further files (no network,
 * no script). They are written together into one folder. JSON is the form that can be read again. {@link
 * dev.nodepath.report.form.OwnFolder} is a folder that only this user can change; it does not know reports.
 */
package dev.nodepath.report.form;
