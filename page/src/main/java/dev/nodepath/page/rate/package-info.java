/** What links carry, as values. It does not know how it is measured. */
package dev.nodepath.page.rate;
