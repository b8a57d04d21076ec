/**
 * Parts for long-running commands: version, privileges, log lines as text or JSON, pages of the server, and closing in
 * order. Log lines go to streams that may be full; dropped lines are counted. It knows no proxy.
 */
package dev.nodepath.agent.process;
