/**
 * Options of commands, as kube-proxy and our own have them: parsed, checked and turned into settings. Errors name
 * the flag that the user wrote. It starts nothing.
 */
package dev.nodepath.agent.options;
