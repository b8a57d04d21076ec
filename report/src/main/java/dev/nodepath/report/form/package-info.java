/**
 * The forms of a report: JSON, Markdown, tables for a terminal, and one HTML page that needs nothing else (no network,
 * no script). They are written together into one folder; JSON is the form that is read again. A folder that this user
 * alone can change is {@link dev.nodepath.report.form.OwnFolder}; it knows nothing of reports.
 */
package dev.nodepath.report.form;
