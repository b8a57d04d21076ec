/** Ordinary Kubernetes YAML or JSON in files and folders: read once, or watched as a source of equal rights. */
package dev.nodepath.endpoints.source.manifests;
