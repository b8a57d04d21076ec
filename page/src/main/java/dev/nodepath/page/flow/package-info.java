/** Who talks to whom, as the page shows it. */
package dev.nodepath.page.flow;
