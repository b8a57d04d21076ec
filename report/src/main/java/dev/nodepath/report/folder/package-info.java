/** The folder of a report: all its forms are written together and read again. */
package dev.nodepath.report.folder;
