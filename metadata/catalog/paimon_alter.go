package catalog

import (
	"context"
	"net/http"
	"slices"

	"lakeserver/metadata/paimon"
)

// Alter sends what makes of one schema the next, as one request.
func (p *paimonREST) Alter(ctx context.Context, id Identifier, from, to *paimon.Schema) error {
	path, err := p.tablePath(id)
	if err != nil {
		return err
	}
	changes := schemaChanges(from, to)
	if len(changes) == 0 {
		return nil
	}
	return coded(p.send(ctx, http.MethodPost, path, map[string]any{"changes": changes}, nil), "altering", id)
}

// change is one change of a schema: an action and its parameters.
type change map[string]any

// schemaChanges tells the difference of two schemas, whose columns are the same
// by their ids.
func schemaChanges(from, to *paimon.Schema) []change {
	var out []change
	for k, v := range to.Options {
		if old, ok := from.Options[k]; !ok || old != v {
			out = append(out, change{"action": "setOption", "key": k, "value": v})
		}
	}
	for k := range from.Options {
		if _, ok := to.Options[k]; !ok {
			out = append(out, change{"action": "removeOption", "key": k})
		}
	}
	if from.Comment != to.Comment {
		out = append(out, change{"action": "updateComment", "comment": to.Comment})
	}
	var names []string // of the columns, in the order in which they stand by then
	for i := range from.Fields {
		f := &from.Fields[i]
		next := fieldOfID(to, f.ID)
		if next == nil {
			out = append(out, change{"action": "dropColumn", "fieldNames": []string{f.Name}})
			continue
		}
		if f.Name != next.Name {
			out = append(out, change{"action": "renameColumn", "fieldNames": []string{f.Name}, "newName": next.Name})
		}
		names = append(names, next.Name)
		out = append(out, columnChanges(f, next)...)
	}
	for i := range to.Fields {
		f := &to.Fields[i]
		move := change{"fieldName": f.Name, "type": "FIRST"}
		if i > 0 {
			move["type"], move["referenceFieldName"] = "AFTER", to.Fields[i-1].Name
		}
		switch at := slices.Index(names, f.Name); {
		case at == i:
			continue
		case at >= 0:
			out = append(out, change{"action": "updateColumnPosition", "move": move})
			names = slices.Delete(names, at, at+1)
		default:
			out = append(out, change{"action": "addColumn", "fieldNames": []string{f.Name}, "dataType": paimon.TypeJSON(f.Type), "comment": f.Description, "move": move})
		}
		names = slices.Insert(names, i, f.Name)
	}
	return out
}

func fieldOfID(s *paimon.Schema, id int) *paimon.Field {
	for i := range s.Fields {
		if s.Fields[i].ID == id {
			return &s.Fields[i]
		}
	}
	return nil
}

func columnChanges(f, next *paimon.Field) (out []change) {
	name := []string{next.Name}
	if string(paimon.TypeJSON(f.Type)) != string(paimon.TypeJSON(next.Type)) {
		out = append(out, change{"action": "updateColumnType", "fieldNames": name, "newDataType": paimon.TypeJSON(next.Type), "keepNullability": false})
	}
	if f.Description != next.Description {
		out = append(out, change{"action": "updateColumnComment", "fieldNames": name, "newComment": next.Description})
	}
	return out
}
