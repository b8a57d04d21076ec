/**
 * Changes of objects: JSON patch, merge patch, strategic merge patch and server-side apply with the owners of fields
 * ({@code managedFields}). Trees come in, new trees and conflicts go out. It knows no requests.
 */
package dev.nodepath.apiserver.patch;
