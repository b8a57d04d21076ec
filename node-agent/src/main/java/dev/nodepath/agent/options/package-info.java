/**
 * Options of commands, kube-proxy's and our own, and kube-proxy's configuration file: parsed, checked and turned into
 * settings. Errors name the flag or the field that the user wrote. It starts nothing.
 */
package dev.nodepath.agent.options;
