/**
 * Routes, neighbours and forwarding entries: values, and the rtnetlink messages that list and change them. It knows
 * no namespaces.
 */
package dev.nodepath.linux.route;
