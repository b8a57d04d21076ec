/** HTTP for health and metrics: small answers to a path, by the JDK's server with limits. */
package dev.nodepath.agent.http;
