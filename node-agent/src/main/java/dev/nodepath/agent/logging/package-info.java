/** Log lines as text or JSON, to streams that may be full. Lines that nobody takes are left out and counted. */
package dev.nodepath.agent.logging;
