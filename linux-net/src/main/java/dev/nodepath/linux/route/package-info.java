/**
 * Routes, neighbours and forwarding entries: values, the operations on them, and their rtnetlink messages. It knows
 * no namespaces.
 */
package dev.nodepath.linux.route;
