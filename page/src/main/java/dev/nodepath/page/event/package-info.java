/** Changes with numbers: what a stream sends, and where it goes on after a break. It knows no sockets. */
package dev.nodepath.page.event;
