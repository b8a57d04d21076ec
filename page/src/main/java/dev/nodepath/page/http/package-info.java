/**
 * Serves a live page: the HTML, the JSON, the stream of events, and actions. It decides which requests are answered.
 * It does not know the effect of an action.
 */
package dev.nodepath.page.http;
