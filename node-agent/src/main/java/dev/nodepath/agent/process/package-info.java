/**
 * What any long-running command needs: version, privileges, pages of the server, and closing in order. It knows no
 * proxy.
 */
package dev.nodepath.agent.process;
