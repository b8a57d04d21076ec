/**
 * Gives each PersistentVolumeClaim of the class {@code standard} a PersistentVolume of its own, and deletes it with the
 * claim. It knows no folders: kubelets make them.
 */
package dev.nodepath.controllers.volume;
