/** Pieces of work that run side by side in one process, and fail and begin again apart. */
package dev.nodepath.agent.parts;
