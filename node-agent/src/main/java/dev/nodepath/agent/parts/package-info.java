/**
 * Parts of a process that run side by side, and fail and restart on their own. It knows their state and not their
 * work.
 */
package dev.nodepath.agent.parts;
