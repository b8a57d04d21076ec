/**
 * Options of commands, as kube-proxy and our own have them, and kube-proxy's configuration file: parsed, checked and
 * turned into settings. Errors name the flag or the field that the user wrote. It starts nothing.
 */
package dev.nodepath.agent.options;
