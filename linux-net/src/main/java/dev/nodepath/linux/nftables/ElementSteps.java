package dev.nodepath.linux.nftables;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects changes of one set's elements into steps of limited size. */
final class ElementSteps {
    private final NftSet set;
    private final int elementsMax;
    private final List<List<NftChange>> steps;
    private final List<NftValue> removed = new ArrayList<>();
    private final List<NftElement> added = new ArrayList<>();

    /**
     * Collects into a list of steps.
     *
     * @param elementsMax the most elements that one step adds or removes
     */
    ElementSteps(NftSet set, int elementsMax, List<List<NftChange>> steps) {
        this.set = set;
        this.elementsMax = elementsMax;
        this.steps = steps;
    }

    void remove(NftValue key) {
        removed.add(key);
        endIfFull();
    }

    /** Adds an element, and removes the one with the same key in the same step. */
    void replace(@Nullable NftElement before, NftElement after) {
        if (before != null) {
            removed.add(before.key());
        }
        added.add(after);
        endIfFull();
    }

    private void endIfFull() {
        if (removed.size() >= elementsMax || added.size() >= elementsMax) {
            end();
        }
    }

    /** Ends the last step. */
    void end() {
        List<NftChange> step = new ArrayList<>(2);
        if (!removed.isEmpty()) {
            step.add(new NftChange.DeleteElements(set, removed));
        }
        if (!added.isEmpty()) {
            step.add(new NftChange.AddElements(set, added));
        }
        if (!step.isEmpty()) {
            steps.add(step);
        }
        removed.clear();
        added.clear();
    }
}
