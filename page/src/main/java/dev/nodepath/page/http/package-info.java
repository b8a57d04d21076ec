/**
 * Serves a live page: the HTML, the JSON, the stream of events, and actions. Who may ask is decided here. What an
 * action does is not known here.
 */
package dev.nodepath.page.http;
