package dev.nodepath.linux.route;

/**
 * A listed route of the main table.
 *
 * @param options its protocol and other values that differ from the kernel's default, without table and scope
 */
public record ListedRoute(Route route, RouteOptions options) {}
