/**
 * The lessons of the page. In: {@code docs/lessons.md}. Out: its text as JSON that a script makes into elements, and
 * what is to be checked. It does not know what has happened in a cluster.
 */
package dev.nodepath.page.lesson;
