/**
 * Time that passes between two tries: waits as values, and the clock that measures them. What comes in are numbers of
 * failures; what goes out are durations. It does not know what is tried.
 */
package dev.nodepath.linux.time;
