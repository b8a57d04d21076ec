/**
 * The frame of all controllers: changes become keys in one queue, one thread reconciles key after key, and keys that
 * failed come back later. It knows no kind of object.
 */
package dev.nodepath.controllers.queue;
