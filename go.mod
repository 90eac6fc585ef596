module lakeserver

go 1.26
