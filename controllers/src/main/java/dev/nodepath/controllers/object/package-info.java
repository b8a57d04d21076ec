/**
 * Reads and writes the parts of objects that all controllers share: metadata, owners, selectors, conditions, Events.
 */
package dev.nodepath.controllers.object;
