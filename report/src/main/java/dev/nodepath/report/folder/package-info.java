/**
 * The folder of a report: all its forms are written together and read again; JSON is the form that is read. A folder
 * that this user alone can change is {@link dev.nodepath.report.folder.OwnFolder}; it knows nothing of reports.
 */
package dev.nodepath.report.folder;
