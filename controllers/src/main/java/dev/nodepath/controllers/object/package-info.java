/**
 * What all controllers share. The frame: changes become keys in one queue, one thread reconciles key after key, and
 * keys that failed come back later. The parts of objects: metadata, owners, conditions, Events. It knows no kind.
 */
package dev.nodepath.controllers.object;
