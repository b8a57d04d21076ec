/**
 * kube-proxy's configuration file, and how its values are written. Lines come in, fields with their positions go
 * out.
 */
package dev.nodepath.agent.config;
