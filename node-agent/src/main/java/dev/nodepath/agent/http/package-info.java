/** Small HTTP answers for health and metrics, by the JDK's server with limits. It knows no contents. */
package dev.nodepath.agent.http;
