/**
 * Kubernetes YAML or JSON in files and folders, read once or watched. Errors name the file and the line. It knows no
 * API server.
 */
package dev.nodepath.endpoints.source.manifests;
