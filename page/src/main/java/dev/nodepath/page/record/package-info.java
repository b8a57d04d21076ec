/**
 * The last minutes of a page as one file. In: its state and its events; or such a file. Out: the file; or a recording
 * that is complete and makes sense. It knows no cluster and no HTTP.
 */
package dev.nodepath.page.record;
