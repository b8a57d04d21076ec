/** Log lines as text or JSON, to streams that may be full. Dropped lines are counted. */
package dev.nodepath.agent.logging;
