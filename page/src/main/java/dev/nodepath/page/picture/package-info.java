/**
 * What the page shows, as values: parts with names, and what differs between two pictures. It knows no API server, no
 * sockets and no HTML.
 */
package dev.nodepath.page.picture;
